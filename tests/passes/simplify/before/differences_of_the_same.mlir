!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %s = "py.binary"(%n, %m) {operator = "mul", at = "2:4"} : (!int, !int) -> !int
  %a = "py.binary"(%s, %s) {operator = "sub", at = "3:4"} : (!int, !int) -> !int
  %b = "py.binary"(%n, %n) {operator = "sub", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%s, %a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int, !int) -> ()
}) {sym_name = "differences_of_the_same", parameters = ["n", "m", "x"]} : () -> ()
