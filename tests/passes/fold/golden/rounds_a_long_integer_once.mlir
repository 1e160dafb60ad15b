!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "0x1.0000020000000p+60", at = "3:4"} : () -> !float
  "asc.printf"(%0) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!float) -> ()
}) {sym_name = "rounds_a_long_integer_once", parameters = ["n", "m", "x"]} : () -> ()
