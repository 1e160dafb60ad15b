!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %core = "asc.get_block_idx"() {form = "", at = "3:4"} : () -> !int
  %0 = "py.constant"() {value = "0", at = "5:4"} : () -> !int
  %1 = "py.constant"() {value = "0", at = "7:4"} : () -> !int
  "asc.printf"(%n, %0, %core, %1) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "division_by_one", parameters = ["n", "m", "x"]} : () -> ()
