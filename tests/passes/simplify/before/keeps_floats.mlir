!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0x0.0p+0", at = "2:4"} : () -> !float
  %a = "py.binary"(%x, %zero) {operator = "add", at = "3:4"} : (!float, !float) -> !float
  %b = "py.binary"(%x, %x) {operator = "sub", at = "4:4"} : (!float, !float) -> !float
  %c = "py.binary"(%x, %zero) {operator = "mul", at = "5:4"} : (!float, !float) -> !float
  %d = "py.binary"(%x, %zero) {operator = "sub", at = "6:4"} : (!float, !float) -> !float
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!float, !float, !float, !float) -> ()
}) {sym_name = "keeps_floats", parameters = ["n", "m", "x"]} : () -> ()
