!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %two = "py.constant"() {value = "2", at = "2:4"} : () -> !int
  %v = "py.variable"(%two) {at = "3:4", variable = "k"} : (!int) -> !py.cell<!int>
  %l = "py.load"(%v) {at = "4:4"} : (!py.cell<!int>) -> !int
  %a = "py.binary"(%l, %two) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %b = "py.binary"(%n, %two) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %c = "py.compare"(%n, %m) {operator = "lt", at = "7:4"} : (!int, !int) -> !bool
  "py.if"(%c) ({
    "py.store"(%v, %b) {at = "9:4"} : (!py.cell<!int>, !int) -> ()
  }, {
  ^bb0:
  }) {at = "8:4"} : (!bool) -> ()
  "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "13:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_values_of_the_run", parameters = ["n", "m", "x"]} : () -> ()
