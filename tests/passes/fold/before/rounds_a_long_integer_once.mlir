!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.constant"() {value = "1152921573326323713", at = "2:4"} : () -> !int
  %f1 = "py.cast"(%a) {at = "3:4"} : (!int) -> !float
  "asc.printf"(%f1) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!float) -> ()
}) {sym_name = "rounds_a_long_integer_once", parameters = ["n", "m", "x"]} : () -> ()
