!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %v = "py.variable"(%n) {at = "2:4", variable = "k"} : (!int) -> !py.cell<!int>
  "py.while"() ({
    %l = "py.load"(%v) {at = "4:4"} : (!py.cell<!int>) -> !int
    %two = "py.constant"() {value = "2", at = "5:4"} : () -> !int
    %a = "py.binary"(%m, %two) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
    %c = "py.compare"(%l, %a) {operator = "lt", at = "7:4"} : (!int, !int) -> !bool
    "py.condition"(%c) {at = "8:4"} : (!bool) -> ()
  }, {
    %l2 = "py.load"(%v) {at = "10:4"} : (!py.cell<!int>) -> !int
    %three = "py.constant"() {value = "3", at = "11:4"} : () -> !int
    %b = "py.binary"(%m, %three) {operator = "mul", at = "12:4"} : (!int, !int) -> !int
    %s = "py.binary"(%l2, %b) {operator = "add", at = "13:4"} : (!int, !int) -> !int
    "py.store"(%v, %s) {at = "14:4"} : (!py.cell<!int>, !int) -> ()
  }) {at = "3:4"} : () -> ()
}) {sym_name = "test_of_a_while", parameters = ["n", "m", "x"]} : () -> ()
