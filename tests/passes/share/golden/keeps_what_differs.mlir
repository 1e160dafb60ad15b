!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "add", at = "2:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int, !int) -> ()
  %b = "py.binary"(%n, %m) {operator = "sub", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  %c = "py.binary"(%m, %n) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  "asc.printf"(%c, %c) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_what_differs", parameters = ["n", "m", "x"]} : () -> ()
