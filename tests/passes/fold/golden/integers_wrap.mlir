!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "-9223372036854775808", at = "5:4"} : () -> !int
  %1 = "py.constant"() {value = "9223372036854775807", at = "6:4"} : () -> !int
  %2 = "py.constant"() {value = "1", at = "7:4"} : () -> !int
  %3 = "py.constant"() {value = "-9223372036854775808", at = "8:4"} : () -> !int
  %4 = "py.constant"() {value = "-9223372036854775808", at = "9:4"} : () -> !int
  "asc.printf"(%0, %1, %2, %3, %4) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "integers_wrap", parameters = ["n", "m", "x"]} : () -> ()
