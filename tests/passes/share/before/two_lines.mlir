!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "add", at = "2:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int, !int) -> ()
  %b = "py.binary"(%n, %m) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
}) {sym_name = "two_lines", parameters = ["n", "m", "x"]} : () -> ()
