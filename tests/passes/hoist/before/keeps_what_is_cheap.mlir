!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %one = "py.constant"() {value = "1", at = "4:4"} : () -> !int
    %a = "py.binary"(%n, %one) {operator = "add", at = "5:4"} : (!int, !int) -> !int
    %b = "py.compare"(%a, %m) {operator = "lt", at = "6:4"} : (!int, !int) -> !bool
    %c = "py.binary"(%a, %i) {operator = "add", at = "7:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %b, %c, %one) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !bool, !int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_what_is_cheap", parameters = ["n", "m", "x"]} : () -> ()
