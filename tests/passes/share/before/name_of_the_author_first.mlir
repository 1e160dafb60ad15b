!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "mul", at = "2:4", variable = "size"} : (!int, !int) -> !int
  "asc.printf"(%a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int) -> ()
  %b = "py.binary"(%n, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  %c = "py.constant"() {value = "8", at = "6:4"} : () -> !int
  %e = "py.binary"(%n, %m) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %f = "py.binary"(%e, %c) {operator = "add", at = "8:4"} : (!int, !int) -> !int
  "asc.printf"(%f) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int) -> ()
}) {sym_name = "name_of_the_author_first", parameters = ["n", "m", "x"]} : () -> ()
