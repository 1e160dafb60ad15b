!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %c = "py.constant"() {value = "8", at = "2:4"} : () -> !int
  %p = "py.binary"(%n, %c) {operator = "add", at = "3:4"} : (!int, !int) -> !int
  %a = "py.binary"(%p, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  %d = "py.constant"() {value = "8", at = "6:4"} : () -> !int
  %q = "py.binary"(%n, %d) {operator = "add", at = "7:4"} : (!int, !int) -> !int
  %b = "py.binary"(%q, %m) {operator = "mul", at = "8:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int, !int) -> ()
}) {sym_name = "whole_expressions", parameters = ["n", "m", "x"]} : () -> ()
