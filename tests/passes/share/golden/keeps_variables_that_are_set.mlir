!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  %l = "py.load"(%v) {at = "3:4"} : (!py.cell<!int>) -> !int
  %a = "py.binary"(%l, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  "py.store"(%v, %m) {at = "6:4"} : (!py.cell<!int>, !int) -> ()
  %r = "py.load"(%v) {at = "7:4"} : (!py.cell<!int>) -> !int
  %b = "py.binary"(%r, %m) {operator = "mul", at = "8:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_variables_that_are_set", parameters = ["n", "m", "x"]} : () -> ()
