!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %one = "py.constant"() {value = "1", at = "2:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %one) {operator = "floordiv", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%n, %one) {operator = "mod", at = "5:4"} : (!int, !int) -> !int
  %c = "py.trunc_div"(%core, %one) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %d = "py.trunc_div"(%core, %one) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "division_by_one", parameters = ["n", "m", "x"]} : () -> ()
