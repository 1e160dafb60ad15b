!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "-4", at = "6:4"} : () -> !int
  %1 = "py.constant"() {value = "1", at = "7:4"} : () -> !int
  %2 = "py.constant"() {value = "-4", at = "8:4"} : () -> !int
  %3 = "py.constant"() {value = "-1", at = "9:4"} : () -> !int
  %4 = "py.constant"() {value = "3", at = "10:4"} : () -> !int
  %5 = "py.constant"() {value = "1", at = "11:4"} : () -> !int
  "asc.printf"(%0, %1, %2, %3, %4, %5) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int, !int, !int, !int, !int, !int) -> ()
}) {sym_name = "division_floors", parameters = ["n", "m", "x"]} : () -> ()
