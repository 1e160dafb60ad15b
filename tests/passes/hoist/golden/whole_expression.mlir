!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %one = "py.constant"() {value = "1", at = "4:4"} : () -> !int
  %three = "py.constant"() {value = "3", at = "5:4"} : () -> !int
  %a = "py.binary"(%n, %one) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %m) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %c = "py.binary"(%b, %three) {operator = "sub", at = "8:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %three) {operator = "mod", at = "9:4"} : (!int, !int) -> !int
  "py.for"(%zero, %n) ({
  ^bb0(%i: !int):
    %one_1 = "py.constant"() {value = "1", at = "4:4"} : () -> !int
    %e = "py.binary"(%d, %i) {operator = "add", at = "10:4"} : (!int, !int) -> !int
    "asc.printf"(%e, %one_1) {form = "desc: text, arguments: rest", format = "shown", at = "11:4"} : (!int, !int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "3:4"} : (!int, !int) -> ()
}) {sym_name = "whole_expression", parameters = ["n", "m", "x"]} : () -> ()
