!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "32", at = "6:4"} : () -> !int
  %1 = "py.binary"(%n, %0) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
  %2 = "py.constant"() {value = "0", at = "8:4"} : () -> !int
  "asc.printf"(%1, %2) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int, !int) -> ()
}) {sym_name = "products_of_constants", parameters = ["n", "m", "x"]} : () -> ()
