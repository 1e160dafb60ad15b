!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %most = "py.constant"() {value = "9223372036854775807", at = "2:4"} : () -> !int
  %least = "py.constant"() {value = "-9223372036854775808", at = "3:4"} : () -> !int
  %one = "py.constant"() {value = "1", at = "4:4"} : () -> !int
  %a = "py.binary"(%most, %one) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %b = "py.binary"(%least, %one) {operator = "sub", at = "6:4"} : (!int, !int) -> !int
  %c = "py.binary"(%most, %most) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %d = "py.unary"(%least) {operator = "neg", at = "8:4"} : (!int) -> !int
  %e = "py.unary"(%least) {operator = "abs", at = "9:4"} : (!int) -> !int
  "asc.printf"(%a, %b, %c, %d, %e) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "integers_wrap", parameters = ["n", "m", "x"]} : () -> ()
