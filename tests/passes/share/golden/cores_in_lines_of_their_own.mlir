!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %z = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %a = "asc.get_block_num"() {form = "", at = "3:4"} : () -> !int
  "py.for"(%z, %n) ({
  ^bb0(%i: !int):
    %p = "py.binary"(%i, %a) {operator = "floordiv", at = "7:4"} : (!int, !int) -> !int
    %q = "py.binary"(%i, %a) {operator = "mod", at = "8:4"} : (!int, !int) -> !int
    "asc.printf"(%p, %q) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "10:4"} : (!int, !int) -> ()
}) {sym_name = "cores_in_lines_of_their_own", parameters = ["n", "m", "x"]} : () -> ()
