!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %c = "py.constant"() {value = "8", at = "2:4"} : () -> !int
  %a = "py.binary"(%n, %c) {operator = "add", at = "3:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!int, !int) -> ()
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int, !int) -> ()
}) {sym_name = "constants_are_equal", parameters = ["n", "m", "x"]} : () -> ()
