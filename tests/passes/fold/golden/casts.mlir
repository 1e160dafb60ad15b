!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "0x1.0000000000000p+24", at = "6:4"} : () -> !float
  %1 = "py.constant"() {value = "-2", at = "7:4"} : () -> !int
  %2 = "py.constant"() {value = "1", at = "8:4"} : () -> !int
  %3 = "py.constant"() {value = "0x1.0000000000000p+0", at = "9:4"} : () -> !float
  %4 = "py.constant"() {value = "10000000000", at = "10:4"} : () -> !int
  %5 = "py.constant"() {value = "1", at = "11:4"} : () -> !bool
  "asc.printf"(%0, %1, %2, %3, %4, %5) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!float, !int, !int, !float, !int, !bool) -> ()
}) {sym_name = "casts", parameters = ["n", "m", "x"]} : () -> ()
