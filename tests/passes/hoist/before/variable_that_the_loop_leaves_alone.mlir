!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  %w = "py.variable"(%m) {at = "3:4", variable = "t"} : (!int) -> !py.cell<!int>
  %zero = "py.constant"() {value = "0", at = "4:4"} : () -> !int
  %c = "py.compare"(%n, %zero) {operator = "gt", at = "5:4"} : (!int, !int) -> !bool
  "py.if"(%c) ({
    "py.store"(%v, %m) {at = "7:4"} : (!py.cell<!int>, !int) -> ()
  }, {
    ^bb0:
  }) {at = "6:4"} : (!bool) -> ()
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %l = "py.load"(%v) {at = "12:4"} : (!py.cell<!int>) -> !int
    %a = "py.binary"(%l, %m) {operator = "mul", at = "13:4"} : (!int, !int) -> !int
    %l2 = "py.load"(%v) {at = "14:4"} : (!py.cell<!int>) -> !int
    %s = "py.binary"(%a, %l2) {operator = "add", at = "15:4"} : (!int, !int) -> !int
    "py.store"(%w, %s) {at = "16:4"} : (!py.cell<!int>, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "11:4"} : (!int, !int) -> ()
  %r = "py.load"(%w) {at = "18:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "19:4"} : (!int) -> ()
}) {sym_name = "variable_that_the_loop_leaves_alone", parameters = ["n", "m", "x"]} : () -> ()
