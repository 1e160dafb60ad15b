!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %two = "py.constant"() {value = "2", at = "2:4"} : () -> !int
  %three = "py.constant"() {value = "3", at = "3:4"} : () -> !int
  %a = "py.binary"(%two, %three) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %a) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
  %c = "py.binary"(%b, %two) {operator = "sub", at = "6:4", variable = "size"} : (!int, !int) -> !int
  %d = "py.binary"(%n, %c) {operator = "add", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int) -> ()
}) {sym_name = "chain_of_constants", parameters = ["n", "m", "x"]} : () -> ()
