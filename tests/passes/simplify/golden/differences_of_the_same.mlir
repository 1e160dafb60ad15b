!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %s = "py.binary"(%n, %m) {operator = "mul", at = "2:4"} : (!int, !int) -> !int
  %0 = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  %1 = "py.constant"() {value = "0", at = "4:4"} : () -> !int
  "asc.printf"(%s, %0, %1) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int, !int) -> ()
}) {sym_name = "differences_of_the_same", parameters = ["n", "m", "x"]} : () -> ()
