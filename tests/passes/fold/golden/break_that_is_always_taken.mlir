!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %v = "py.variable"(%zero) {at = "3:4", variable = "total"} : (!int) -> !py.cell<!int>
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    "py.store"(%v, %i) {at = "8:4"} : (!py.cell<!int>, !int) -> ()
    "py.break"() {at = "10:4"} : () -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
  %r = "py.load"(%v) {at = "18:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "19:4"} : (!int) -> ()
}) {sym_name = "break_that_is_always_taken", parameters = ["n", "m", "x"]} : () -> ()
