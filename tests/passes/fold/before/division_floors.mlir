!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.constant"() {value = "-7", at = "2:4"} : () -> !int
  %b = "py.constant"() {value = "2", at = "3:4"} : () -> !int
  %c = "py.constant"() {value = "7", at = "4:4"} : () -> !int
  %d = "py.constant"() {value = "-2", at = "5:4"} : () -> !int
  %q = "py.binary"(%a, %b) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %r = "py.binary"(%a, %b) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
  %s = "py.binary"(%c, %d) {operator = "floordiv", at = "8:4"} : (!int, !int) -> !int
  %u = "py.binary"(%c, %d) {operator = "mod", at = "9:4"} : (!int, !int) -> !int
  %v = "py.trunc_div"(%c, %b) {operator = "floordiv", at = "10:4"} : (!int, !int) -> !int
  %w = "py.trunc_div"(%c, %b) {operator = "mod", at = "11:4"} : (!int, !int) -> !int
  "asc.printf"(%q, %r, %s, %u, %v, %w) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int, !int, !int, !int, !int, !int) -> ()
}) {sym_name = "division_floors", parameters = ["n", "m", "x"]} : () -> ()
