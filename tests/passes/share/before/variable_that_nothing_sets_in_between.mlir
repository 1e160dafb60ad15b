!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  "py.store"(%v, %m) {at = "3:4"} : (!py.cell<!int>, !int) -> ()
  %l = "py.load"(%v) {at = "4:4"} : (!py.cell<!int>) -> !int
  %a = "py.binary"(%l, %m) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int, !int) -> ()
  "asc.printf"(%n) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
  %r = "py.load"(%v) {at = "8:4"} : (!py.cell<!int>) -> !int
  %b = "py.binary"(%r, %m) {operator = "mul", at = "9:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int) -> ()
}) {sym_name = "variable_that_nothing_sets_in_between", parameters = ["n", "m", "x"]} : () -> ()
