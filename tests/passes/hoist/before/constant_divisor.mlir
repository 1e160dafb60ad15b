!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %four = "py.constant"() {value = "4", at = "4:4"} : () -> !int
    %back = "py.constant"() {value = "-1", at = "5:4"} : () -> !int
    %a = "py.binary"(%n, %four) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
    %b = "py.binary"(%m, %back) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
    %c = "py.binary"(%a, %b) {operator = "add", at = "8:4"} : (!int, !int) -> !int
    %d = "py.binary"(%c, %i) {operator = "add", at = "9:4"} : (!int, !int) -> !int
    "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "constant_divisor", parameters = ["n", "m", "x"]} : () -> ()
