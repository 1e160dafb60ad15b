!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.constant"() {value = "1", at = "2:4"} : () -> !bool
  %f = "py.constant"() {value = "0", at = "3:4"} : () -> !bool
  %small = "py.constant"() {value = "3", at = "4:4"} : () -> !int
  %big = "py.constant"() {value = "5", at = "5:4"} : () -> !int
  %lt = "py.compare"(%small, %big) {operator = "lt", at = "6:4"} : (!int, !int) -> !bool
  %eq = "py.compare"(%small, %big) {operator = "eq", at = "7:4"} : (!int, !int) -> !bool
  %no = "py.unary"(%t) {operator = "not", at = "8:4"} : (!bool) -> !bool
  %both = "py.logical"(%lt, %no) {operator = "and", at = "9:4"} : (!bool, !bool) -> !bool
  %either = "py.binary"(%f, %t) {operator = "or", at = "10:4"} : (!bool, !bool) -> !bool
  %one = "py.binary"(%small, %big) {operator = "add", at = "11:4"} : (!int, !int) -> !int
  "asc.printf"(%lt, %eq, %no, %both, %either, %one) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!bool, !bool, !bool, !bool, !bool, !int) -> ()
}) {sym_name = "truths", parameters = ["n", "m", "x"]} : () -> ()
