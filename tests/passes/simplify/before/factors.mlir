!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %one = "py.constant"() {value = "1", at = "2:4"} : () -> !int
  %zero = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %one) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%one, %m) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
  %c = "py.binary"(%n, %zero) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
  %d = "py.binary"(%zero, %m) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "factors", parameters = ["n", "m", "x"]} : () -> ()
