!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "9223372036854775807", at = "6:4"} : () -> !int
  %1 = "py.binary"(%n, %0) {operator = "sub", at = "6:4"} : (!int, !int) -> !int
  "asc.printf"(%1) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
}) {sym_name = "sums_wrap", parameters = ["n", "m", "x"]} : () -> ()
