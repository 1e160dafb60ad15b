!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.constant"() {value = "0x1.0000000000000p+24", at = "2:4"} : () -> !float
  %b = "py.constant"() {value = "0x1.0000000000000p+0", at = "3:4"} : () -> !float
  %c = "py.constant"() {value = "0x1.8000000000000p+1", at = "4:4"} : () -> !float
  %s = "py.binary"(%a, %b) {operator = "add", at = "5:4"} : (!float, !float) -> !float
  %t = "py.binary"(%s, %a) {operator = "sub", at = "6:4"} : (!float, !float) -> !float
  %q = "py.binary"(%b, %c) {operator = "div", at = "7:4"} : (!float, !float) -> !float
  %n1 = "py.unary"(%q) {operator = "neg", at = "8:4"} : (!float) -> !float
  "asc.printf"(%s, %t, %q, %n1) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!float, !float, !float, !float) -> ()
}) {sym_name = "floats_are_rounded_at_each_step", parameters = ["n", "m", "x"]} : () -> ()
