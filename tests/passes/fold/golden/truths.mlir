!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "1", at = "6:4"} : () -> !bool
  %1 = "py.constant"() {value = "0", at = "7:4"} : () -> !bool
  %2 = "py.constant"() {value = "0", at = "8:4"} : () -> !bool
  %3 = "py.constant"() {value = "1", at = "10:4"} : () -> !bool
  %4 = "py.constant"() {value = "8", at = "11:4"} : () -> !int
  "asc.printf"(%0, %1, %2, %2, %3, %4) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!bool, !bool, !bool, !bool, !bool, !int) -> ()
}) {sym_name = "truths", parameters = ["n", "m", "x"]} : () -> ()
