!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "mul", at = "2:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int, !int) -> ()
  %e = "py.binary"(%n, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%e) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int) -> ()
  %b = "py.binary"(%n, %m) {operator = "mul", at = "6:4", variable = "size"} : (!int, !int) -> !int
  "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
}) {sym_name = "name_of_the_author_last", parameters = ["n", "m", "x"]} : () -> ()
