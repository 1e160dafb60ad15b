!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.constant"() {value = "1", at = "2:4"} : () -> !bool
  %f = "py.constant"() {value = "0", at = "3:4"} : () -> !bool
  %zero = "py.constant"() {value = "0", at = "4:4"} : () -> !int
  %c = "py.compare"(%n, %zero) {operator = "gt", at = "5:4"} : (!int, !int) -> !bool
  "asc.printf"(%c, %f, %t, %c) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!bool, !bool, !bool, !bool) -> ()
}) {sym_name = "half_known_logic", parameters = ["n", "m", "x"]} : () -> ()
