!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  %zero = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  %l = "py.load"(%v) {at = "5:4"} : (!py.cell<!int>) -> !int
  %a = "py.binary"(%l, %m) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
  "py.for"(%zero, %m) ({
  ^bb0(%i: !int):
    %l_1 = "py.load"(%v) {at = "5:4"} : (!py.cell<!int>) -> !int
    %b = "py.binary"(%l_1, %i) {operator = "add", at = "7:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
  "py.store"(%v, %m) {at = "10:4"} : (!py.cell<!int>, !int) -> ()
  %r = "py.load"(%v) {at = "11:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
}) {sym_name = "load_with_another_reader", parameters = ["n", "m", "x"]} : () -> ()
