!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "23", at = "6:4", variable = "size"} : () -> !int
  %d = "py.binary"(%n, %0) {operator = "add", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int) -> ()
}) {sym_name = "chain_of_constants", parameters = ["n", "m", "x"]} : () -> ()
