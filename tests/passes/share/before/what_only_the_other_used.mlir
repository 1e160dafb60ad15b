!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %c = "py.constant"() {value = "3", at = "2:4"} : () -> !int
  %a = "py.binary"(%n, %m) {operator = "add", at = "3:4"} : (!int, !int) -> !int
  %p = "py.binary"(%a, %a) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%p, %p) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  %b = "py.binary"(%n, %m) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %q = "py.binary"(%b, %b) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%q, %q) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
  %e = "py.binary"(%n, %m) {operator = "add", at = "9:4"} : (!int, !int) -> !int
  "asc.printf"(%e, %e) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int) -> ()
}) {sym_name = "what_only_the_other_used", parameters = ["n", "m", "x"]} : () -> ()
