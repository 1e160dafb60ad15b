!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %f = "py.cast"(%n) {at = "4:4"} : (!int) -> !float
  %a = "py.binary"(%f, %x) {operator = "mul", at = "5:4"} : (!float, !float) -> !float
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %g = "py.cast"(%i) {at = "6:4"} : (!int) -> !float
    %b = "py.binary"(%a, %g) {operator = "add", at = "7:4"} : (!float, !float) -> !float
    "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!float) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "float_and_casts", parameters = ["n", "m", "x"]} : () -> ()
