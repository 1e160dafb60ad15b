!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %most = "py.constant"() {value = "9223372036854775807", at = "2:4"} : () -> !int
  %one = "py.constant"() {value = "1", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %most) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %one) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %c = "py.binary"(%b, %one) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  "asc.printf"(%c) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
}) {sym_name = "sums_wrap", parameters = ["n", "m", "x"]} : () -> ()
