!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  %zero = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  "py.for"(%zero, %m) ({
  ^bb0(%i: !int):
    %l = "py.load"(%v) {at = "5:4"} : (!py.cell<!int>) -> !int
    %p = "py.binary"(%i, %zero) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
    %s = "py.binary"(%l, %p) {operator = "add", at = "7:4"} : (!int, !int) -> !int
    "py.store"(%v, %s) {at = "8:4"} : (!py.cell<!int>, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
  %r = "py.load"(%v) {at = "10:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "11:4"} : (!int) -> ()
}) {sym_name = "variable_set_to_itself", parameters = ["n", "m", "x"]} : () -> ()
