!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "mul", at = "2:4", variable = "size"} : (!int, !int) -> !int
  "asc.printf"(%a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int) -> ()
  %b = "py.binary"(%n, %m) {operator = "mul", at = "4:4", variable = "size"} : (!int, !int) -> !int
  "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int) -> ()
}) {sym_name = "the_same_name_twice", parameters = ["n", "m", "x"]} : () -> ()
