!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.constant"() {value = "1", at = "2:4"} : () -> !bool
  %f = "py.constant"() {value = "0", at = "3:4"} : () -> !bool
  %zero = "py.constant"() {value = "0", at = "4:4"} : () -> !int
  %c = "py.compare"(%n, %zero) {operator = "gt", at = "5:4"} : (!int, !int) -> !bool
  %a = "py.logical"(%t, %c) {operator = "and", at = "6:4"} : (!bool, !bool) -> !bool
  %b = "py.logical"(%c, %f) {operator = "and", at = "7:4"} : (!bool, !bool) -> !bool
  %d = "py.logical"(%c, %t) {operator = "or", at = "8:4"} : (!bool, !bool) -> !bool
  %e = "py.logical"(%f, %c) {operator = "or", at = "9:4"} : (!bool, !bool) -> !bool
  "asc.printf"(%a, %b, %d, %e) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!bool, !bool, !bool, !bool) -> ()
}) {sym_name = "half_known_logic", parameters = ["n", "m", "x"]} : () -> ()
