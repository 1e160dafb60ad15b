!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %three = "py.constant"() {value = "3", at = "2:4"} : () -> !int
  %five = "py.constant"() {value = "5", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %three) {operator = "add", at = "4:4", variable = "first"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %five) {operator = "add", at = "5:4", variable = "second"} : (!int, !int) -> !int
  %c = "py.binary"(%n, %three) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %five) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int, !int, !int) -> ()
}) {sym_name = "keeps_sums_of_the_author", parameters = ["n", "m", "x"]} : () -> ()
