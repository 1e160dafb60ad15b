!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %a = "py.binary"(%n, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %b = "py.binary"(%a, %i) {operator = "add", at = "5:4"} : (!int, !int) -> !int
    "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "product", parameters = ["n", "m", "x"]} : () -> ()
