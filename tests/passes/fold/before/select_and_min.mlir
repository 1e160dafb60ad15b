!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.constant"() {value = "1", at = "2:4"} : () -> !bool
  %five = "py.constant"() {value = "5", at = "3:4"} : () -> !int
  %two = "py.constant"() {value = "2", at = "4:4"} : () -> !int
  %picked = "py.select"(%t, %n, %m) {at = "5:4"} : (!bool, !int, !int) -> !int
  %least = "py.binary"(%five, %two) {operator = "min", at = "6:4"} : (!int, !int) -> !int
  %most = "py.binary"(%five, %two) {operator = "max", at = "7:4"} : (!int, !int) -> !int
  %bits = "py.binary"(%five, %two) {operator = "and", at = "8:4"} : (!int, !int) -> !int
  %left = "py.binary"(%five, %two) {operator = "shl", at = "9:4"} : (!int, !int) -> !int
  "asc.printf"(%picked, %least, %most, %bits, %left) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "select_and_min", parameters = ["n", "m", "x"]} : () -> ()
