!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %three = "py.constant"() {value = "3", at = "2:4"} : () -> !int
  %five = "py.constant"() {value = "5", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %three) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %five) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %c = "py.binary"(%m, %three) {operator = "sub", at = "6:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %five) {operator = "add", at = "7:4"} : (!int, !int) -> !int
  %e = "py.binary"(%five, %n) {operator = "add", at = "8:4"} : (!int, !int) -> !int
  %f = "py.binary"(%e, %three) {operator = "sub", at = "9:4"} : (!int, !int) -> !int
  %g = "py.binary"(%n, %five) {operator = "sub", at = "10:4"} : (!int, !int) -> !int
  %h = "py.binary"(%g, %three) {operator = "sub", at = "11:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %d, %f, %h) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "sums_of_constants", parameters = ["n", "m", "x"]} : () -> ()
