!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "0x1.0000000000000p+24", at = "5:4"} : () -> !float
  %1 = "py.constant"() {value = "0x0.0p+0", at = "6:4"} : () -> !float
  %2 = "py.constant"() {value = "0x1.5555560000000p-2", at = "7:4"} : () -> !float
  %3 = "py.constant"() {value = "-0x1.5555560000000p-2", at = "8:4"} : () -> !float
  "asc.printf"(%0, %1, %2, %3) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!float, !float, !float, !float) -> ()
}) {sym_name = "floats_are_rounded_at_each_step", parameters = ["n", "m", "x"]} : () -> ()
