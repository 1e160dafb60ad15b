!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %one = "py.constant"() {value = "0x1.0000000000000p+0", at = "2:4"} : () -> !float
  %a = "py.binary"(%x, %one) {operator = "mul", at = "3:4"} : (!float, !float) -> !float
  %b = "py.binary"(%one, %a) {operator = "mul", at = "4:4"} : (!float, !float) -> !float
  %c = "py.binary"(%b, %one) {operator = "div", at = "5:4"} : (!float, !float) -> !float
  "asc.printf"(%c) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!float) -> ()
}) {sym_name = "factor_of_a_float", parameters = ["n", "m", "x"]} : () -> ()
