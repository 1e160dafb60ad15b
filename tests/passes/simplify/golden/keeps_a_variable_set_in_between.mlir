!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  %l = "py.load"(%v) {at = "3:4"} : (!py.cell<!int>) -> !int
  "py.store"(%v, %m) {at = "4:4"} : (!py.cell<!int>, !int) -> ()
  "py.store"(%v, %l) {at = "5:4"} : (!py.cell<!int>, !int) -> ()
  %r = "py.load"(%v) {at = "6:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
}) {sym_name = "keeps_a_variable_set_in_between", parameters = ["n", "m", "x"]} : () -> ()
