!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %0 = "py.constant"() {value = "8", at = "5:4"} : () -> !int
  %1 = "py.binary"(%n, %0) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %2 = "py.constant"() {value = "2", at = "7:4"} : () -> !int
  %3 = "py.binary"(%m, %2) {operator = "add", at = "7:4"} : (!int, !int) -> !int
  %4 = "py.constant"() {value = "2", at = "9:4"} : () -> !int
  %5 = "py.binary"(%n, %4) {operator = "add", at = "9:4"} : (!int, !int) -> !int
  %6 = "py.constant"() {value = "8", at = "11:4"} : () -> !int
  %7 = "py.binary"(%n, %6) {operator = "sub", at = "11:4"} : (!int, !int) -> !int
  "asc.printf"(%1, %3, %5, %7) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "sums_of_constants", parameters = ["n", "m", "x"]} : () -> ()
