!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %v = "py.variable"(%n) {at = "3:4", variable = "k"} : (!int) -> !py.cell<!int>
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %l = "py.load"(%v) {at = "5:4"} : (!py.cell<!int>) -> !int
    %a = "py.binary"(%l, %m) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
    %b = "py.binary"(%i, %m) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
    %c = "py.binary"(%a, %b) {operator = "add", at = "8:4"} : (!int, !int) -> !int
    "py.store"(%v, %c) {at = "9:4"} : (!py.cell<!int>, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!int, !int) -> ()
  %r = "py.load"(%v) {at = "11:4"} : (!py.cell<!int>) -> !int
  "asc.printf"(%r) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
}) {sym_name = "keeps_what_changes", parameters = ["n", "m", "x"]} : () -> ()
