!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %v = "py.variable"(%zero) {at = "3:4", variable = "total"} : (!int) -> !py.cell<!int>
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %one = "py.constant"() {value = "1", at = "5:4"} : () -> !int
    %two = "py.constant"() {value = "2", at = "6:4"} : () -> !int
    %c = "py.compare"(%one, %two) {operator = "lt", at = "7:4"} : (!int, !int) -> !bool
    "py.store"(%v, %i) {at = "8:4"} : (!py.cell<!int>, !int) -> ()
    "py.if"(%c) ({
      "py.break"() {at = "10:4"} : () -> ()
    }, {
      ^bb0:
    }) {at = "9:4"} : (!bool) -> ()
    %l = "py.load"(%v) {at = "14:4"} : (!py.cell<!int>) -> !int
    %s = "py.binary"(%l, %one) {operator = "add", at = "15:4"} : (!int, !int) -> !int
    "py.store"(%v, %s) {at = "16:4"} : (!py.cell<!int>, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
  %r = "py.load"(%v) {at = "18:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "19:4"} : (!int) -> ()
}) {sym_name = "break_that_is_always_taken", parameters = ["n", "m", "x"]} : () -> ()
