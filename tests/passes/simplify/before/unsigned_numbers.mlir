!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %u = "py.cast"(%n) {at = "2:4"} : (!int) -> !asc.scalar<"uint32">
  %w = "py.cast"(%u) {at = "3:4"} : (!asc.scalar<"uint32">) -> !int
  %four = "py.constant"() {value = "4", at = "4:4"} : () -> !int
  %a = "py.binary"(%w, %four) {operator = "floordiv", at = "5:4"} : (!int, !int) -> !int
  %s = "py.binary"(%w, %four) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %b = "py.binary"(%s, %w) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
  %h = "py.binary"(%w, %four) {operator = "shr", at = "8:4"} : (!int, !int) -> !int
  %c = "py.binary"(%h, %s) {operator = "floordiv", at = "9:4"} : (!int, !int) -> !int
  %p = "py.binary"(%w, %w) {operator = "mul", at = "10:4"} : (!int, !int) -> !int
  %d = "py.binary"(%p, %four) {operator = "floordiv", at = "11:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "unsigned_numbers", parameters = ["n", "m", "x"]} : () -> ()
