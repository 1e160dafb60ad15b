!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "2", at = "7:4"} : () -> !int
  %1 = "py.binary"(%m, %0) {operator = "sub", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%n, %1) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
}) {sym_name = "sums_that_meet", parameters = ["n", "m", "x"]} : () -> ()
