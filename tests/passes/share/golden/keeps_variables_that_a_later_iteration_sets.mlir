!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %z = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %v = "py.variable"(%n) {at = "3:4", variable = "k"} : (!int) -> !py.cell<!int>
  %l = "py.load"(%v) {at = "4:4"} : (!py.cell<!int>) -> !int
  %a = "py.binary"(%l, %m) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int, !int) -> ()
  "py.for"(%z, %n) ({
  ^bb0(%i: !int):
    %r = "py.load"(%v) {at = "9:4"} : (!py.cell<!int>) -> !int
    %b = "py.binary"(%r, %m) {operator = "mul", at = "10:4"} : (!int, !int) -> !int
    "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "11:4"} : (!int, !int) -> ()
    "py.store"(%v, %i) {at = "12:4"} : (!py.cell<!int>, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "13:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_variables_that_a_later_iteration_sets", parameters = ["n", "m", "x"]} : () -> ()
